"""Planning: how many queries a difference takes."""

from rankreport.planning._plan import FORMATS, Plan, plan

__all__ = ["FORMATS", "Plan", "plan"]
