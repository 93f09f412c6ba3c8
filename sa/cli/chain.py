"""`sacheck refine --chain`: a sequence of programs, each of which refines the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sa.base.limits import Limits
from sa.cli.options import Asking, Settings
from sa.cli.prove import follow

if TYPE_CHECKING:
    from sa.app.prove import ProveRequest


def refine_chain(paths: tuple[str, ...], script: str | None, given: Asking, settings: Settings) -> None:
    """Prove or refute the links and the chain, show the proof, and end with its status."""
    if given.certificate is not None and script is None:
        raise typer.BadParameter("the certificate of a chain is about its script: give `--script FILE` too")

    def request_of(bounds: Limits) -> ProveRequest:
        from sa.app.cache import users_cache
        from sa.app.chain import chain
        from sa.app.outputs import refuse_loss
        from sa.app.prove import ProveRequest
        from sa.app.replace_file import replace_file
        from sa.engines.options import Options

        made = chain(paths, script, given.split)
        outputs = settings.files.outputs
        refuse_loss(outputs, (s.name for link in made.links for s in link.sources))
        if script is not None:
            replace_file(script, made.text)
        options = Options(bounds, given.seed, cache=users_cache() if given.cache else None)
        return ProveRequest(made.path, given.split, options, made)

    follow(request_of, " and ".join(paths), given.certificate, settings)
