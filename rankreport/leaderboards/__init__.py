"""Leaderboards: systems ordered by their means."""

from rankreport.leaderboards._leaderboard import Leaderboard, leaderboard
from rankreport.leaderboards._standings import first_on_others, standings
