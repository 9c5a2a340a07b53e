# {{ say("Warnings and notes on the data.") }}
rr.to_table(
    pl.DataFrame(
        [(each.severity, str(each)) for each in evaluation.cautions],
        {"severity": pl.String, "caution": pl.String},
        orient="row",
    )
)
