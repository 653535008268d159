import { Module, type DynamicModule } from '@nestjs/common';
import { Gateway } from './gateway.ts';
import { Handshake } from './handshake.ts';
import { WorkerGateway } from './worker.gateway.ts';

/** The part of the API that workers connect to; the application also needs `new WorkerAdapter(app, handshake)`. */
@Module({})
export class GatewayModule {
  static forRoot(gateway: Gateway, handshake: Handshake): DynamicModule {
    return {
      module: GatewayModule,
      providers: [{ provide: Gateway, useValue: gateway }, { provide: Handshake, useValue: handshake }, WorkerGateway],
    };
  }
}
