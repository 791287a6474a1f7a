import {
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  InfiniteRowModelModule,
  LocaleModule,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  ScrollApiModule,
  TooltipModule,
} from 'ag-grid-community';

/** What the table of records needs of the grid; the rest stays out of the window. */
ModuleRegistry.registerModules([
  InfiniteRowModelModule,
  RowSelectionModule,
  RenderApiModule,
  RowApiModule,
  TooltipModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  ScrollApiModule,
  CellStyleModule,
  LocaleModule,
]);
