"""Checks gcloud command lines without running them.

Each line of input is a command, as a JSON array of words. The answer to each line is a JSON string: the error, or an
empty string if gcloud accepts the command. Uses the argument parser of the installed Google Cloud CLI, under the CLI's
own Python. Argument: the CLI's root folder.
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
    errors = io.StringIO()
    verdict = ''
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            parser.parse_args(json.loads(line))
        except SystemExit:
            verdict = errors.getvalue().strip().split('\n\n')[0] or 'refused'
        except Exception as refusal:
            verdict = str(refusal) or type(refusal).__name__
    print(json.dumps(verdict), flush=True)
