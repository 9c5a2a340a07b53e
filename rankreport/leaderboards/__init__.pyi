from rankreport.leaderboards._leaderboard import Leaderboard, leaderboard
from rankreport.leaderboards._standings import standings

__all__ = ["Leaderboard", "leaderboard", "standings"]
