"""Many systems in the order of their means."""

from rankreport.leaderboards._leaderboard import Leaderboard, leaderboard

__all__ = ["Leaderboard", "leaderboard"]
