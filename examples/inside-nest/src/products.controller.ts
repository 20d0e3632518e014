import { Controller, Get } from '@nestjs/common';

/** A route of the shop. */
@Controller('products')
export class ProductsController {
  @Get()
  list(): readonly { name: string }[] {
    return [{ name: 'a domain name' }];
  }
}
