import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { DatasetExportsService } from './dataset-exports.service.ts';
import { DatasetsService } from './datasets.service.ts';

@Controller()
export class DatasetsController {
  constructor(
    @Inject(DatasetsService) private readonly datasets: DatasetsService,
    @Inject(DatasetExportsService) private readonly exports: DatasetExportsService,
  ) {}

  @Route(routes.listDatasets)
  list({ caller, query }: RouteRequest<typeof routes.listDatasets>) {
    return this.datasets.list(caller, query);
  }

  @Route(routes.createDataset)
  create({ caller, body }: RouteRequest<typeof routes.createDataset>) {
    return this.datasets.create(caller, body);
  }

  @Route(routes.readDataset)
  read({ caller, params }: RouteRequest<typeof routes.readDataset>) {
    return this.datasets.read(caller, params.dataset);
  }

  @Route(routes.createDatasetVersion)
  createVersion({ caller, params }: RouteRequest<typeof routes.createDatasetVersion>) {
    return this.datasets.createVersion(caller, params.dataset);
  }

  @Route(routes.deleteDataset)
  delete({ caller, params }: RouteRequest<typeof routes.deleteDataset>) {
    return this.datasets.delete(caller, params.dataset);
  }

  @Route(routes.listDatasetExports)
  listExports({ caller, params }: RouteRequest<typeof routes.listDatasetExports>) {
    return this.exports.list(caller, params.dataset);
  }

  @Route(routes.createDatasetExport)
  createExport({ caller, params, body }: RouteRequest<typeof routes.createDatasetExport>) {
    return this.exports.create(caller, params.dataset, body);
  }

  @Route(routes.readDatasetExport)
  readExport({ caller, params }: RouteRequest<typeof routes.readDatasetExport>) {
    return this.exports.read(caller, params.dataset, params.export);
  }

  @Route(routes.downloadDatasetExport)
  files({ caller, params, query }: RouteRequest<typeof routes.downloadDatasetExport>) {
    return this.exports.files(caller, params.dataset, params.export, query);
  }
}
