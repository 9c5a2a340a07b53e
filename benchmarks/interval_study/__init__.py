"""How often the intervals hold the truth, and how often the tests find what is not there.

========================  =========================================================================
`plan`                    what is tried, fixed before any result was seen: seeds, sizes, claims
`populations`             differences made by a formula, whose mean is known
`real`                    differences between real systems, of the queries at hand
`cells`                   one population at one number of queries: drawn, and set against the truth
`families`                several systems at once
`structures`              queries that are clustered or weighted
`curves`                  pooled documents: bands of curves, and areas
`figures`                 from counts to shares, and from shares to whether a claim held
`page`, `tables`          all of it in words and tables
========================  =========================================================================

Whatever is measured here is computed by the public functions of `rankreport.statistics`.
"""
