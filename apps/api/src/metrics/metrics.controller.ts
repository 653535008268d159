import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { HttpResponse } from '../http/http-response.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { METRICS } from '../common/injection-tokens.ts';

/** Serves the metrics if they have no separate port. */
@Controller()
export class MetricsController {
  constructor(@Inject(METRICS) private readonly metrics: Pick<Metrics, 'read'>) {}

  @Route(routes.readMetrics)
  async read(_: RouteRequest<typeof routes.readMetrics>): Promise<HttpResponse<undefined>> {
    const { contentType, body } = await this.metrics.read();
    return new HttpResponse<undefined>(200, body, { 'content-type': contentType });
  }
}
