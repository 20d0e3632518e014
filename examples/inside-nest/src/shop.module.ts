import { type DynamicModule, Module } from '@nestjs/common';
import { type NamewatchConfig, NamewatchModule } from 'namewatch';
import { ProductsController } from './products.controller.js';

@Module({})
export class ShopModule {
  static forConfig(readConfig: () => NamewatchConfig): DynamicModule {
    const namewatch = NamewatchModule.forRootAsync({ useFactory: () => ({ config: readConfig() }), path: '/names' });
    return {
      module: ShopModule,
      imports: [namewatch],
      controllers: [ProductsController],
    };
  }
}
