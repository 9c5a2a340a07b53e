# {{ say("The first documents of both systems, for the queries that change most.") }}
for pair in pairs:
    losses, wins = comparison.losses(**pair), comparison.wins(**pair)
    biggest = losses["query_id"][:{{ n_lists }}].append(wins["query_id"][:{{ n_lists }}])
    try:
        display(rr.to_table(comparison.side_by_side(biggest, k={{ k }}, **pair)))
    except rr.OptionError as error:
        print(error)  # {{ say("the lists of these queries are not stored") }}
