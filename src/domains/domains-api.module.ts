import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ChecksController } from './checks/checks.controller.js';
import { VariantsController } from './checks/variants.controller.js';
import { DomainsModule } from './domains.module.js';
import { RegistriesController } from './registries/registries.controller.js';

@Module({
  imports: [AuthModule, DomainsModule],
  controllers: [ChecksController, VariantsController, RegistriesController],
})
export class DomainsApiModule {}
