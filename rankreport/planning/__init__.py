"""Planning: how many queries a difference takes."""

from rankreport.planning._plan import Plan, plan

__all__ = ["Plan", "plan"]
