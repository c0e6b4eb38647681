import { checkAddress } from './checks/address.ts';
import { checkAllowance } from './checks/allowance.ts';
import { checkBilling } from './checks/billing.ts';
import { checkClock } from './checks/clock.ts';
import { checkCredential } from './checks/credential.ts';
import { checkFirewall } from './checks/firewall.ts';
import { checkReadiness } from './checks/readiness.ts';
import { checkRights } from './checks/rights.ts';
import { checkTls } from './checks/tls.ts';
import { type DiagnosisOptions, type Examination, examination } from './examination.ts';
import { anotherServer, type CheckName, type Finding, skipped, type Verdict } from './finding.ts';

interface Check {
  readonly check: CheckName;
  /** The checks that must succeed before this check can run. */
  readonly needs: readonly CheckName[];
  readonly examine: (examination: Examination) => Promise<Verdict>;
}

const REACHED: readonly CheckName[] = ['address', 'tls'];
const ACCEPTED: readonly CheckName[] = [...REACHED, 'credential'];
const ADMITTED: readonly CheckName[] = [...ACCEPTED, 'firewall'];
const KNOWN: readonly CheckName[] = [...ADMITTED, 'rights'];

/** The order matters: the first failed check is the cause of failures in later checks. */
const CHECKS: readonly Check[] = [
  { check: 'address', needs: [], examine: checkAddress },
  { check: 'tls', needs: ['address'], examine: checkTls },
  { check: 'clock', needs: REACHED, examine: checkClock },
  { check: 'readiness', needs: REACHED, examine: checkReadiness },
  { check: 'credential', needs: REACHED, examine: checkCredential },
  { check: 'firewall', needs: ACCEPTED, examine: checkFirewall },
  { check: 'rights', needs: ADMITTED, examine: checkRights },
  { check: 'billing', needs: KNOWN, examine: checkBilling },
  { check: 'allowance', needs: KNOWN, examine: checkAllowance },
];

/** Runs all checks and returns their findings in order. Changes nothing and never throws. */
export async function diagnose(options: DiagnosisOptions): Promise<Finding[]> {
  const examined = examination(options);
  const findings: Finding[] = [];
  for (const { check, needs, examine } of CHECKS) {
    const cause = findings.find((one) => needs.includes(one.check) && one.state === 'fail');
    const verdict = cause
      ? skipped(`Not checked, because the check of ${cause.check} failed.`)
      : // A check rejects only if an answer lacks what this service always sends.
        await examine(examined).catch(() => anotherServer(examined.options.url));
    findings.push({ check, ...verdict });
  }
  return findings;
}
