"""Leaderboards: systems ordered by their means."""

from rankreport.leaderboards._leaderboard import Leaderboard, leaderboard

__all__ = ["Leaderboard", "leaderboard"]
