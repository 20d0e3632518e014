import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesModule } from './deliveries.module.js';
import { DeliveryReader } from './delivery-reader.repository.js';

/** Lists deliveries and sends them again on request. */
@Module({
  imports: [DeliveriesModule],
  controllers: [DeliveriesController],
  providers: [DeliveryReader],
})
export class DeliveriesApiModule {}
