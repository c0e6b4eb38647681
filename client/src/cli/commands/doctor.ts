import { diagnose } from '../../doctor/diagnose.ts';
import type { DiagnosisOptions } from '../../doctor/examination.ts';
import type { CheckName, Finding } from '../../doctor/finding.ts';
import { oneLine } from '../../visible-text.ts';
import type { Command } from '../command.ts';
import { readEnvironment } from '../environment.ts';
import { explain } from '../explain.ts';
import { EXIT, type ExitCode, Failure, noCredential } from '../failure.ts';
import { jsonOption } from '../options.ts';
import { type Format, printJson } from '../print.ts';
import { findTarget, optionsFor, RequestIds } from '../service.ts';
import { writeOut } from '../standard-output.ts';

/** The exit code if one of these checks fails. If a check that is not listed fails, the exit code is 3. */
const EXIT_OF_CHECK: Partial<Record<CheckName, ExitCode>> = {
  address: EXIT.unreachable,
  tls: EXIT.unreachable,
  credential: EXIT.credential,
};

const STATE_WIDTH = 'skipped  '.length;
const CHECK_WIDTH = 'credential  '.length;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('Find out why a call fails: check the address, the credential, your rights and the service')
    .addOption(jsonOption('Print the findings as JSON'))
    .examples(
      ['Check everything', 'esk doctor'],
      ['List only what needs attention', `esk doctor --json | jq '.[] | select(.advice)'`],
    )
    .remarks(`esk doctor changes nothing. The first failed check decides the exit status: 5 for the address or TLS, 4 for the
credential, 3 for any other check. Warnings do not change the exit status.`)
    .action(doctor);
}

async function doctor(format: Format): Promise<void> {
  const findings = await diagnose(await target());
  if (format.json) await printJson(findings);
  else await writeOut(findings.map(show).join(''));
  const failed = findings.find(({ state }) => state === 'fail');
  if (failed === undefined) return;
  const exitCode = EXIT_OF_CHECK[failed.check] ?? EXIT.refused;
  throw new Failure(exitCode, 'check_failed', `the check of ${failed.check} failed; its advice is on standard output`);
}

/** Returns the options of the diagnosis. Without a credential, only checks that need no credential can run. */
async function target(): Promise<DiagnosisOptions> {
  const { url } = readEnvironment();
  try {
    const found = await findTarget();
    return { ...optionsFor(found, new RequestIds()), source: found.source };
  } catch (error) {
    const { exitCode, message } = explain(error);
    if (exitCode !== EXIT.credential) throw error;
    if (url === undefined) throw noCredential(`${message}; to check only the service, set ESK_URL`);
    return { url, source: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` };
  }
}

/** Formats a finding for people: one line with state, check and result, and the advice below. */
function show({ check, state, found, advice }: Finding): string {
  const line = `${state.padEnd(STATE_WIDTH)}${check.padEnd(CHECK_WIDTH)}${oneLine(found)}\n`;
  return advice === null ? line : `${line}${' '.repeat(STATE_WIDTH + CHECK_WIDTH)}${oneLine(advice)}\n`;
}
