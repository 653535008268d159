import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { WayHouse } from './way.house.ts';
import { Way } from './way.ts';

/** Gives every part of the API the way of a run. */
@Global()
@Module({})
export class RunLifecycleModule {
  static forRoot(house: WayHouse): DynamicModule {
    return { module: RunLifecycleModule, providers: [{ provide: Way, useValue: house.way }], exports: [Way] };
  }
}
