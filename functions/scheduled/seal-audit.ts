import { sealAudit as seal } from '../../shared/sealing/seal-audit.ts';
import { job } from '../needs.ts';

/** Cloud Scheduler starts this job every ten minutes. Only this job may sign with the audit key. */
export const sealAudit = job(['store', 'clock', 'log', 'config', 'signer'], seal);
