import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TransactionCursor } from '../../../kernel/paging/transaction-cursor.js';
import { ApiProblems } from '../../../platform/http/errors/api-problems.js';
import { ReadAuditTrail } from '../../application/audit/read-audit-trail.js';
import type { Caller } from '../../application/caller.js';
import { CurrentAccount } from '../current-account.js';
import { RequiresScope } from '../requires-scope.js';
import { AUDIT_EXAMPLES, AuditQuery, AuditTrailView, toAuditTrailView, toFilter } from './audit.dto.js';

@ApiTags('Audit')
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly audit: ReadAuditTrail) {}

  @Get()
  @RequiresScope('audit:read')
  @ApiOperation({ operationId: 'listAuditRecords', summary: 'Read who did what in the account, oldest first' })
  @ApiOkResponse({ description: 'The records after the cursor.', type: AuditTrailView, examples: AUDIT_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@CurrentAccount() account: Caller['account'], @Query() query: AuditQuery): Promise<AuditTrailView> {
    const after = query.after === undefined ? null : TransactionCursor.parse(query.after, 'after');
    return toAuditTrailView(await this.audit.page(account.id, after, query.limit, toFilter(query)));
  }
}
