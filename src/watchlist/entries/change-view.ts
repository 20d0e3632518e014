import { ApiProperty } from '@nestjs/swagger';
import { RECORD_KINDS, RECORD_VALUE_SCHEMA, type RecordKind, type RecordValue } from '../../domains/language.js';
import { EvidenceView, toEvidenceView } from '../../domains/views.js';
import { PageMeta } from '../../platform/http/page.js';
import type { ListedRecordChange } from '../records/registration-records.repository.js';
import { UTC } from '../../platform/http/validation/fields.js';

class RecordChangeView {
  @ApiProperty({ enum: RECORD_KINDS, example: 'nameservers' }) kind: RecordKind;
  @ApiProperty({ ...RECORD_VALUE_SCHEMA, description: 'Sorted; empty: there were none.' }) before: RecordValue;
  @ApiProperty({ ...RECORD_VALUE_SCHEMA, description: 'Sorted; empty: there are none.' }) after: RecordValue;
  @ApiProperty({ ...UTC, description: 'The last check that found the former value.' }) previous_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The first check that found the new one.' }) first_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The check that confirmed it.' }) confirmed_at: string;
  @ApiProperty({ type: [EvidenceView], description: 'The evidence of the check that confirmed it.' })
  evidence: EvidenceView[];
}

export class ChangesView {
  @ApiProperty({ type: [RecordChangeView] }) data: RecordChangeView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

export function changeView(change: ListedRecordChange): RecordChangeView {
  const { kind, before, after, previousSeenAt, firstSeenAt, confirmedAt, evidence } = change;
  return {
    kind,
    before,
    after,
    previous_seen_at: previousSeenAt.toISOString(),
    first_seen_at: firstSeenAt.toISOString(),
    confirmed_at: confirmedAt.toISOString(),
    evidence: evidence.map(toEvidenceView),
  };
}

export const CHANGES_EXAMPLES = {
  one: {
    summary: 'A name that moved to other name servers',
    value: {
      data: [
        {
          kind: 'nameservers',
          before: ['ns1.hoster.test', 'ns2.hoster.test'],
          after: ['ns1.another.test', 'ns2.another.test'],
          previous_seen_at: '2026-11-21T02:00:00.500Z',
          first_seen_at: '2026-11-21T03:00:00.500Z',
          confirmed_at: '2026-11-21T03:01:00.500Z',
          evidence: [
            {
              source: 'sandbox',
              server: 'sandbox',
              outcome: 'found',
              rule: 'sandbox.script',
              http_status: null,
              observed_at: '2026-11-21T03:01:00.500Z',
              excerpt: 'moving-60s.test',
            },
          ],
        },
      ],
      meta: { page: 1, per_page: 20, total: 1 },
    } satisfies ChangesView,
  },
};
