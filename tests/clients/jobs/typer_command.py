"""A command of typer that ends by its own exception, as ``raise typer.Exit()``."""

import typer

import lineage

app = typer.Typer()


@app.command()
@lineage.job(namespace="shop", name="load")
def load(ending: str, code: int = 0) -> None:
    run = lineage.current_run()
    run.reads("/landing/orders.csv")
    run.writes("/lake/orders.csv")
    raise typer.Abort if ending == "abort" else typer.Exit(code)


app()
