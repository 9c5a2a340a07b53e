"""The corpus: one document per documented public object of the running Python's standard library.

The documents are read from the interpreter rather than stored, because every reader already has
them. They therefore belong to one Python version; the README names the one behind the run files.
"""

import builtins
import contextlib
import importlib
import inspect
import io
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import GetSetDescriptorType, ModuleType

SKIPPED_MODULES = frozenset(
    {
        # Importing these does something: opens a browser, prints a poem.
        "antigravity",
        "this",
        # Applications, demonstrations and data rather than a library to call.
        "idlelib",
        "lib2to3",
        "pydoc_data",
        "turtledemo",
        # Deprecated and replaced outside the standard library.
        "distutils",
        # Implementations documented under another name (os, os.path, re, xml.parsers.expat).
        "genericpath",
        "nt",
        "ntpath",
        "nturl2path",
        "posix",
        "posixpath",
        "pyexpat",
        "sre_compile",
        "sre_constants",
        "sre_parse",
        # Present only where Tk is installed: the corpus must not depend on that.
        "tkinter",
        "turtle",
    }
)
SKIPPED_SUBMODULES = frozenset(
    {
        "ctypes.macholib",
        "encodings",  # one module per codec, with no documentation to speak of
        "test",
        "tests",
    }
)
LITERAL_DEFAULTS = (bool, bytes, float, int, str, type(None))
PROPERTY_TYPES = (property, cached_property, GetSetDescriptorType)


@dataclass(frozen=True)
class Document:
    """What one object says about itself."""

    doc_id: str
    signature: str
    docstring: str

    @property
    def text(self) -> str:
        """Everything a searcher can match."""
        return f"{self.doc_id}{self.signature}\n{self.docstring}"


@dataclass(frozen=True)
class _Candidate:
    """A name by which an object can be reached."""

    doc_id: str
    member: object

    @property
    def target(self) -> object:
        """The plain function behind a bound method, or else the member itself.

        `random.choice` is a bound method of a hidden `random.Random`, and `tarfile.open` is
        `TarFile.open`: seen through, both names lead to one object and so to one document.
        """
        return getattr(self.member, "__func__", self.member)

    @property
    def preference(self) -> tuple[int, bool, str]:
        """Sort key that puts first the name users know an object by.

        Packages re-export what they want to be known from their submodules, so the shortest
        path wins (`asyncio.Queue` over `asyncio.queues.Queue`); at equal length the object's
        own name wins over an alias (`OSError` over `IOError`).
        """
        own_name = getattr(self.target, "__name__", "")
        parts = self.doc_id.split(".")
        return len(parts), parts[-1] != own_name, self.doc_id


def build_corpus() -> list[Document]:
    """Return every document, sorted by `doc_id`."""
    modules = _import_modules()
    names: dict[int, _Candidate] = {}
    for candidate in _candidates(modules):
        key = id(candidate.target)
        known = names.get(key)
        if known is None or candidate.preference < known.preference:
            names[key] = candidate
    documents = (_document(candidate) for candidate in names.values())
    return sorted((doc for doc in documents if doc.docstring), key=lambda doc: doc.doc_id)


def _import_modules() -> dict[str, ModuleType]:
    """Import every public module that this platform has, silently."""
    modules: dict[str, ModuleType] = {}
    silence = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        warnings.simplefilter("ignore")
        pending = [*sorted(sys.stdlib_module_names - SKIPPED_MODULES), "os.path"]
        while pending:
            name = pending.pop()
            if not _is_public(name):
                continue
            try:
                module = importlib.import_module(name)
            except ImportError:  # Windows-only modules, optional extensions
                continue
            if _is_shadowed(name, module):
                continue
            modules[name] = module
            pending.extend(_submodules(name, module))
    return dict(sorted(modules.items()))


def _submodules(name: str, module: ModuleType) -> list[str]:
    """Return the dotted names of a package's own submodules."""
    if name in SKIPPED_SUBMODULES:
        return []
    found = pkgutil.iter_modules(getattr(module, "__path__", []))
    return [
        f"{name}.{info.name}"
        for info in found
        if info.name not in SKIPPED_SUBMODULES and f"{name}.{info.name}" not in SKIPPED_SUBMODULES
    ]


def _is_shadowed(name: str, module: ModuleType) -> bool:
    """Tell whether a package has given a submodule's name to something else.

    `unittest.main` is a class to everyone who uses it, though a module is called that too.
    """
    parent, _, child = name.rpartition(".")
    return bool(parent) and getattr(sys.modules[parent], child) is not module


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def _candidates(modules: dict[str, ModuleType]) -> Iterator[_Candidate]:
    """Yield every public name of every documented object, each object possibly many times."""
    for module_name, module in modules.items():
        yield _Candidate(module_name, module)
        for name, member in _public_members(module):
            # Built-ins are written without their module: `sorted`, not `builtins.sorted`.
            doc_id = name if module_name == "builtins" else f"{module_name}.{name}"
            yield _Candidate(doc_id, member)
            if inspect.isclass(member):
                for attribute, value in _public_attributes(member):
                    yield _Candidate(f"{doc_id}.{attribute}", value)


def _public_members(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the classes and functions that a module offers as its own."""
    exported = getattr(module, "__all__", None)
    for name in vars(module) if exported is None else exported:
        member = getattr(module, name)
        if not _is_public(name) or not (inspect.isclass(member) or inspect.isroutine(member)):
            continue
        if exported is not None or _belongs_to(member, module):
            yield name, member


def _belongs_to(member: object, module: ModuleType) -> bool:
    """Tell a module's own objects from the ones it merely imported.

    Only the top-level names are compared, without the leading underscore of C accelerators, so
    that `_sqlite3.connect` belongs to `sqlite3`. Everything built in belongs to `builtins`,
    whatever it says: `open` claims to live in `io`.
    """
    if module is builtins:
        return True
    home = (getattr(member, "__module__", None) or "").lstrip("_")
    return home.split(".")[0] == module.__name__.split(".")[0]


def _public_attributes(cls: type) -> Iterator[tuple[str, object]]:
    """Yield the methods and properties a class defines itself, not those it inherits."""
    for name, value in vars(cls).items():
        if _is_public(name) and (inspect.isroutine(value) or isinstance(value, PROPERTY_TYPES)):
            # A class or static method cannot be inspected before it is looked up on the class.
            is_wrapped = isinstance(value, classmethod | staticmethod)
            yield name, getattr(cls, name) if is_wrapped else value


def _document(candidate: _Candidate) -> Document:
    """Describe an object."""
    return Document(
        doc_id=candidate.doc_id,
        signature=_signature(candidate.member),
        docstring=inspect.cleandoc(_own_docstring(candidate.target)),
    )


def _own_docstring(target: object) -> str:
    """Return what an object says itself; an inherited docstring describes something else.

    Many a class, `ThreadPoolExecutor` among them, is documented in its `__init__` alone.
    """
    docstring = getattr(target, "__doc__", None)
    if inspect.isclass(target):
        own = vars(target)
        initialiser = own.get("__init__")
        if not own.get("__doc__") and inspect.isfunction(initialiser):
            docstring = initialiser.__doc__
        else:
            docstring = own.get("__doc__")
    return docstring if isinstance(docstring, str) else ""


def _signature(target: object) -> str:
    """Return `(a, b=1)`, or nothing where Python cannot tell.

    Annotations are left out as noise. Defaults that differ from machine to machine are elided:
    the interpreter's path, and all but literals, which may show memory addresses.
    """
    if not callable(target):
        return ""
    try:
        signature = inspect.signature(target)
    except (AttributeError, TypeError, ValueError):
        # AttributeError: curses names defaults that exist only once a screen is open.
        return ""
    parameters = [_plain(parameter) for parameter in signature.parameters.values()]
    return str(inspect.Signature(parameters)).replace("=Ellipsis", "=...")


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    is_literal = default is inspect.Parameter.empty or type(default) in LITERAL_DEFAULTS
    if not is_literal or default == sys.executable:
        default = ...
    return parameter.replace(annotation=inspect.Parameter.empty, default=default)
