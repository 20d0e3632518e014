import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CursorSeal } from '../../platform/crypto/cursor-seal.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { AuditTrail } from './audit-trail.js';
import { type Caller, CurrentAccount } from '../caller/caller.js';
import { RequiresScope } from '../caller/scope-decorators.js';
import { AUDIT_EXAMPLES, AuditQuery, AuditTrailView, toAuditTrailView, toFilter } from './audit.dto.js';

@ApiTags('Audit')
@Controller('v1/audit')
export class AuditController {
  constructor(
    private readonly audit: AuditTrail,
    private readonly cursors: CursorSeal,
  ) {}

  @Get()
  @RequiresScope('audit:read')
  @ApiOperation({ operationId: 'listAuditRecords', summary: 'Read who did what in the account, oldest first' })
  @ApiOkResponse({ description: 'The records after the cursor.', type: AuditTrailView, examples: AUDIT_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@CurrentAccount() account: Caller['account'], @Query() query: AuditQuery): Promise<AuditTrailView> {
    const trail = `audit trail of ${account.id}`;
    const after = query.after === undefined ? null : this.cursors.open(query.after, trail, 'after');
    const page = await this.audit.page(account.id, after, query.limit, toFilter(query));
    return toAuditTrailView(page, this.cursors.seal(page.next, trail));
  }
}
