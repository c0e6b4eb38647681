export { keyIdOfRecipient, recipientOf } from './age-plugin/recipient.ts';
export { diagnose } from './doctor/diagnose.ts';
export type { DiagnosisOptions } from './doctor/examination.ts';
export type { Finding } from './doctor/finding.ts';
export { type ApiErrorCode, type ClientErrorCode, EncryptionServiceError, type ErrorCode } from './errors.ts';
export * from './files/index.ts';
export { DataKeys, type RecordOptions } from './records/data-keys.ts';
export type { Limits } from './records/limits.ts';
export { EncryptionService } from './service.ts';
export type {
  Action,
  Answer,
  ApiKey,
  AuditEvent,
  Billing,
  Body,
  CallOptions,
  Container,
  Credential,
  DailyUsageLine,
  EncryptionServiceOptions,
  Federation,
  Fetch,
  FetchRequest,
  FetchResponse,
  Firewall,
  Invitation,
  InvitationPreview,
  Key,
  Me,
  Member,
  NewApiKey,
  NewInvitation,
  OperationId,
  Query,
  Readiness,
  Role,
  RotationPreview,
  Seal,
  ServiceSettings,
  SignIn,
  Statement,
  Tier,
  UsageLine,
} from './types.ts';
export * from './workload/index.ts';
