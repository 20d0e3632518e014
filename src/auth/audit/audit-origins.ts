import type { AuditActor, AuditOrigin } from '../domain/audit-record.js';

/** Who acts here and now. */
export abstract class AuditOrigins {
  /** The caller of the request that is being worked on; outside of requests, who runs this process. */
  abstract current(): AuditOrigin;
  /** Who runs this process; without a call, the service itself. */
  abstract runAs(actor: AuditActor): void;
}
