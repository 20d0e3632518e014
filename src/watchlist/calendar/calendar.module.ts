import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { AddressesModule } from '../addresses/addresses.module.js';
import { EntriesModule } from '../entries/entries.module.js';
import { CalendarEntryReader } from './calendar-entries.repository.js';
import { CalendarAddressController, CalendarController } from './calendar.controller.js';
import { CalendarService } from './calendar.service.js';

@Module({
  imports: [DomainsModule, AddressesModule, EntriesModule],
  controllers: [CalendarAddressController, CalendarController],
  providers: [CalendarService, CalendarEntryReader],
})
export class CalendarModule {}
