import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { ListRegistries } from './list-registries.js';
import { REGISTRIES_EXAMPLES, RegistriesQuery, RegistriesView } from './registries.dto.js';

@ApiTags('Domains')
@Controller('v1/registries')
export class RegistriesController {
  constructor(private readonly registries: ListRegistries) {}

  @Get()
  @RequiresScope('domains:read')
  @ApiOperation({ operationId: 'listRegistries', summary: 'List registries with their rate limits and health' })
  @ApiOkResponse({ description: 'One page, by operator.', type: RegistriesView, examples: REGISTRIES_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@Query() { page, per_page, tld, operator }: RegistriesQuery): Promise<RegistriesView> {
    const { rows, total } = await this.registries.page(page, per_page, {
      tld: tld?.toLowerCase(),
      operators: operator,
    });
    return { data: rows, meta: { page, per_page, total } };
  }
}
