"""Anonymizes a table with the Python package anonypy: python3 anonymize.py IN OUT"""

import sys

import anonypy
import pandas as pd

table = pd.read_csv(sys.argv[1])
preserver = anonypy.Preserver(table, ["age"], "disease")
release = pd.DataFrame(preserver.anonymize_l_diversity(k=2, l=2))
release.to_csv(sys.argv[2], index=False)
