# {{ say("The first documents of both systems, for the queries that change most.") }}
{% if texts %}
title = pl.coalesce("title", "text").str.head({{ width }})
named = documents.select("doc_id", name=pl.format("{}: {}", "doc_id", title)).drop_nulls()
{% endif %}
grade, move = {{ say("grade") | python }}, {{ say("move") | python }}
for pair in pairs:
    headers = [{{ say("rank") | python }}, pair["baseline"], grade, move, pair["system"], grade, move]
    losses, wins = comparison.losses(**pair), comparison.wins(**pair)
    biggest = losses["query_id"][:{{ n_lists }}].append(wins["query_id"][:{{ n_lists }}])
    try:
        lists = comparison.side_by_side(biggest, k={{ k }}, **pair).frame
    except rr.OptionError as error:
        print(error)  # {{ say("the lists of these queries are not stored") }}
        continue
{% if texts %}
    lists = lists.with_columns(pl.col("doc_baseline", "doc_system").replace(dict(named.rows())))
{% endif %}
    about = lists.columns[: lists.columns.index("rank")]
    for query, rows in lists.group_by(about, maintain_order=True):
        caption = ": ".join(filter(None, query))
        display(rr.to_table(rows.drop(about), headers=headers, caption=caption))
