"""Reads command lines of gcloud, a JSON array of words a line, and says of each on a line whether gcloud takes it.

Nothing is run: each goes through the argument parser of the installed Google Cloud CLI, which knows every command, flag,
allowed value and required argument. Argument: the CLI's root. Runs under the CLI's own Python.
"""

import contextlib
import io
import json
import os
import sys

root = sys.argv[1]
sys.path[:0] = [os.path.join(root, 'lib'), os.path.join(root, 'lib', 'third_party')]

from googlecloudsdk import gcloud_main  # noqa: E402
from googlecloudsdk.core import properties  # noqa: E402

properties.VALUES.core.project.Set('parsed-only')
parser = gcloud_main.CreateCLI([])._CLI__parser

for line in sys.stdin:
    said = io.StringIO()
    verdict = ''
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            parser.parse_args(json.loads(line))
        except SystemExit:
            verdict = said.getvalue().strip().split('\n\n')[0] or 'refused'
        except Exception as refusal:
            verdict = str(refusal) or type(refusal).__name__
    print(json.dumps(verdict), flush=True)
