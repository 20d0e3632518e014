import { Module } from '@nestjs/common';
import { AddressesModule } from '../addresses/addresses.module.js';
import { ClientPageNames } from './client-page-names.repository.js';
import { ClientPages } from './client-pages.js';
import { ClientPageController, ClientPagesController } from './client-pages.controller.js';

@Module({
  imports: [AddressesModule],
  controllers: [ClientPagesController, ClientPageController],
  providers: [ClientPages, ClientPageNames],
})
export class ClientPagesModule {}
