import { ApiProperty } from '@nestjs/swagger';
import { QueryIntegerField } from './validation/fields.js';

/** Paging parameters, the same for all lists. */
export class PageQuery {
  @QueryIntegerField({ default: 1, minimum: 1, maximum: 1_000_000, description: 'Which page.' })
  page: number = 1;

  @QueryIntegerField({ default: 20, minimum: 1, maximum: 100, description: 'How many on a page.' })
  per_page: number = 20;
}

/** Position and size of a page. */
export class PageMeta {
  @ApiProperty({ type: 'integer', example: 1 }) page: number;
  @ApiProperty({ type: 'integer', example: 20 }) per_page: number;
  @ApiProperty({ type: 'integer', example: 1, description: 'Matching entries in all.' }) total: number;
}
