from rankreport.datasets.example import Example, load_example

__all__ = ["Example", "load_example"]
