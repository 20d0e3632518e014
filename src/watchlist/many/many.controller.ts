import { Body, Controller, Delete, Patch, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { type Caller, CurrentAccount, endOfAuthorization } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { DomainError } from '../../kernel/domain-error.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { resume, sendJsonLines } from '../../platform/http/json-lines.js';
import { accepts, NDJSON } from '../../platform/http/request.js';
import type { ManyChange } from '../domain/many-change.js';
import { ParseFilters } from '../entries/parse-filters.js';
import { ChangeMany, type ManyRequest, type ManySummary } from './change-many.js';
import {
  CHANGE_MANY_EXAMPLES,
  ChangeManyBody,
  describeChange,
  describeFilters,
  MANY_EXAMPLE,
  ManyQuery,
  ManyEntriesView,
  REMOVAL_EXAMPLE,
  toManyChange,
  toManyView,
  toStreamExample,
} from './many.dto.js';

const HOW =
  'Some hundred entries are one transaction. Entries that no longer match when their turn comes are left alone. Sent again, ' +
  'it does the rest. With `Accept: application/x-ndjson` the answer is a line after each transaction, with `done` and ' +
  '`matched`, then the summary; an interruption is a problem with `written`, in a stream as the last line. The audit ' +
  'trail has a record of each transaction, with one `run_id`.';

const answer = (example: ManyEntriesView) => ({
  description: 'The outcome, or with `dry_run` what the outcome would be.',
  content: {
    'application/json': { schema: { $ref: getSchemaPath(ManyEntriesView) }, example },
    [NDJSON]: { schema: { type: 'string' }, example: toStreamExample(example) },
  },
});

@ApiTags('Watchlist')
@ApiExtraModels(ManyEntriesView)
@Controller('v1/watchlist')
export class ManyController {
  constructor(
    private readonly many: ChangeMany,
    private readonly filters: ParseFilters,
  ) {}

  @Patch()
  @RequiresScope('watchlist:write')
  @ApiOperation({
    operationId: 'changeManyEntries',
    summary: 'Change all entries that match',
    description: `If the plan refuses some of the names, the others are still changed. ${HOW}`,
  })
  @ApiBody({ type: ChangeManyBody, examples: CHANGE_MANY_EXAMPLES })
  @ApiOkResponse(answer(MANY_EXAMPLE))
  @ApiProblems('precondition_failed')
  change(
    @CurrentAccount() account: Caller['account'],
    @Query() query: ManyQuery,
    @Body() body: ChangeManyBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManyEntriesView | Readable> {
    return this.answer(this.toRequest(account, query, toManyChange(body)), query, request, reply);
  }

  @Delete()
  @RequiresScope('watchlist:write')
  @ApiOperation({
    operationId: 'removeManyEntries',
    summary: 'Stop watching all that match',
    description: `With \`import\` it undoes what an import added. ${HOW}`,
  })
  @ApiOkResponse(answer(REMOVAL_EXAMPLE))
  @ApiProblems('invalid_request', 'precondition_failed')
  remove(
    @CurrentAccount() account: Caller['account'],
    @Query() query: ManyQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManyEntriesView | Readable> {
    if (request.body !== undefined) throw new RemovalTakesNoBody();
    return this.answer(this.toRequest(account, query, null), query, request, reply);
  }

  private toRequest(account: Caller['account'], query: ManyQuery, change: ManyChange | null): ManyRequest {
    const about = { filter: describeFilters(query), ...(change && describeChange(change)) };
    const filters = this.filters.run(account.id, query);
    return { account, filters, change, expected: query.expect ?? null, about };
  }

  private async answer(
    many: ManyRequest,
    { dry_run }: ManyQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ManyEntriesView | Readable> {
    const isStreamed = accepts(request, NDJSON);
    if (dry_run) {
      const view = toManyView(await this.many.preview(many));
      return isStreamed ? sendJsonLines(Readable.from([view]), request, reply) : view;
    }
    const progress = this.many.run(many, endOfAuthorization(request));
    // A refused request throws here, before the response starts.
    const summaries = resume(await progress.next(), progress);
    if (isStreamed) return sendJsonLines(withProgress(summaries), request, reply);
    let last: ManySummary | undefined;
    for await (last of summaries);
    return toManyView(last as ManySummary);
  }
}

/** Refuses a body. A filter in the body would be ignored, and too many entries would be removed. */
class RemovalTakesNoBody extends DomainError {
  constructor() {
    super('invalid_request', 'A removal has no body: say in the query which entries are meant. Nothing was removed.');
  }
}

async function* withProgress(summaries: AsyncIterable<ManySummary>): AsyncGenerator<object, void, void> {
  let last: ManySummary | undefined;
  for await (last of summaries) yield { done: last.done, matched: last.matched };
  if (last) yield toManyView(last);
}
