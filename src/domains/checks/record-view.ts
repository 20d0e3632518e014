import { ApiProperty } from '@nestjs/swagger';
import { toDsValue } from '../domain/record/record-values.js';
import type { RegistrationRecord } from '../domain/record/registration-record.js';
import { isTransferLocked } from '../domain/record/transfer-lock.js';

export class RegistrarView {
  @ApiProperty({ type: String, nullable: true, example: 'Sandbox Registrar' }) name: string | null;
  @ApiProperty({ type: String, nullable: true, example: '9995', description: "In IANA's list of registrars." })
  iana_id: string | null;
}

export class DsRecordView {
  @ApiProperty({ type: 'integer', example: 12_345 }) key_tag: number;
  @ApiProperty({ type: 'integer', example: 13 }) algorithm: number;
  @ApiProperty({ type: 'integer', example: 2 }) digest_type: number;
  @ApiProperty({ example: '5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A' }) digest: string;
}

/** Members that the answer does not say are null; an empty list says that there is none. */
export class RecordView {
  @ApiProperty({
    ...{ type: [String], nullable: true, example: ['ns1.sandbox.test', 'ns2.sandbox.test'] },
    description: 'Name servers as A-labels, sorted. Empty: none. null: the answer does not say.',
  })
  nameservers: readonly string[] | null;
  @ApiProperty({ type: RegistrarView, nullable: true, description: 'The sponsoring registrar.' })
  registrar: RegistrarView | null;
  @ApiProperty({
    ...{ type: [String], nullable: true, example: ['client transfer prohibited'] },
    description: 'EPP statuses as RFC 8056 spells them, sorted.',
  })
  statuses: readonly string[] | null;
  @ApiProperty({
    ...{ type: Boolean, nullable: true, example: true },
    description: 'Whether registrar or registry prohibit transfers; null where the registry has no EPP statuses.',
  })
  locked: boolean | null;
  @ApiProperty({ type: [DsRecordView], nullable: true, description: 'Empty: the delegation is not signed.' })
  ds: readonly DsRecordView[] | null;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true, example: '2024-03-01T10:00:00.000Z' })
  last_transfer: string | null;
}

export function toRecordView(record: RegistrationRecord): RecordView {
  return {
    nameservers: record.nameservers,
    registrar: record.registrar && { name: record.registrar.name, iana_id: record.registrar.ianaId },
    statuses: record.statuses,
    locked: isTransferLocked(record.statuses),
    ds: record.ds?.map(toDsValue) ?? null,
    last_transfer: record.lastTransferAt?.toISOString() ?? null,
  };
}
