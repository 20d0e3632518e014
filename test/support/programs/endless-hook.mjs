import { Module } from '@nestjs/common';
import { defineExtension } from 'namewatch';

/** An extension whose hook computes without end, from its line on stdout. */
class Endless {
  onModuleInit() {
    console.log('computing');
    for (;;);
  }
}

class EndlessModule {}
Module({ providers: [Endless] })(EndlessModule);

export default defineExtension({ name: 'endless', compatibility: '*', module: EndlessModule });
