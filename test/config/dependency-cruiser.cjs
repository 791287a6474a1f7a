/** The import table of the README, as a check. */
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from: { path: from }, to });

module.exports = {
  forbidden: [
    // Types count too: two files that need each other's types are one file, or need a third.
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    rule(
      'common-is-pure',
      '^src-main/common/',
      { pathNot: ['^src-main/common/', '^node_modules/(typebox|marked)/'] },
      'common imports common, TypeBox and marked',
    ),
    rule(
      'only-markdown-loads-its-parser',
      '^src-(main/(?!common/markdown/|packaging/)|renderer/)',
      { path: '^node_modules/marked/' },
      'common/markdown reads what a person writes, packaging/guide reads the guide',
    ),
    rule(
      'node-is-shared',
      '^src-main/node/',
      {
        pathNot: ['^src-main/(common|node)/', '^node_modules/((@types/)?better-sqlite3|csv-parse|fastify)/'],
        dependencyTypesNot: ['core'],
      },
      'node imports common, Node, better-sqlite3, csv-parse and the types of fastify',
    ),
    rule('node-has-no-fastify-at-run-time', '^src-main/node/', {
      path: '^node_modules/fastify/',
      dependencyTypesNot: ['type-only'],
    }),
    rule('core-knows-no-host', '^src-main/core/', {
      path: [
        '^src-main/(service|web|electron|start|cli)/',
        '^src-renderer/',
        '^node_modules/(electron|fastify|@fastify|vue)/',
      ],
    }),
    rule(
      'models-are-the-bottom',
      '^src-main/common/model/',
      { path: '^src-main/common/(contract/(?!errors)|exports/|query/|reporting/reading/)' },
      'what crosses, is read, asked or named consists of models',
    ),
    rule(
      'the-interface-knows-no-model',
      '^src-main/common/reporting/(?!reading/)',
      { path: '^src-main/common/(contract/(?!errors)|exports/|model/|query/|reporting/reading/)' },
      'the service has it as it is; reading makes models of it',
    ),
    rule(
      'analysis-knows-no-cache',
      '^src-main/core/analysis/(?!engine/serve-engine)',
      { path: '^src-main/core/cache/' },
      'the cache feeds the engine through feed-source; only its process joins the two',
    ),
    rule(
      'what-a-thread-writes-knows-no-thread',
      '^src-main/core/exports/(rows|evidence/(masking|packing))/',
      { path: '^src-main/core/exports/thread/' },
      'files and packs are written by the same code, in whatever thread',
    ),
    rule('only-cache-opens-sqlite', '^src-main/core/(?!cache/)', {
      path: ['node_modules/better-sqlite3/', '^src-main/node/open-database'],
    }),
    rule('only-analysis-opens-duckdb', '^src-main/(?!core/analysis/)', { path: '^node_modules/@duckdb/' }),
    rule('only-secrets-opens-the-keychain', '^src-main/(?!core/secrets/)', { path: 'node_modules/keytar/' }),
    rule('service-stands-alone', '^src-main/service/', {
      path: ['^src-main/(core|web|electron|start|cli)/', '^src-renderer/', '^node_modules/(electron|vue)/'],
    }),
    rule('only-the-store-opens-sqlite', '^src-main/service/(?!store-sqlite/)', {
      path: ['^node_modules/better-sqlite3/', '^src-main/node/open-database'],
    }),
    rule('only-its-store-opens-postgres', '^src-main/(?!service/store-postgres/)', {
      path: '^node_modules/(@types/)?pg/',
    }),
    rule('web-has-no-electron', '^src-main/(web|start)/', {
      path: [
        '^src-main/(electron/|cli/|node/open-database)',
        '^node_modules/(electron|better-sqlite3|keytar)/',
      ],
    }),
    rule('command-line-is-a-host', '^src-main/cli/', {
      path: [
        '^src-main/(electron|web|start)/',
        '^src-main/node/open-database',
        '^node_modules/(electron|fastify|@fastify|vue|better-sqlite3|keytar)/',
      ],
    }),
    rule(
      'only-its-server-loads-the-assistant-protocol',
      '^src-(main|renderer)/(?!cli/mcp/serve-assistant)',
      { path: '^node_modules/@modelcontextprotocol/' },
      'it brings an HTTP server, of which nothing is loaded',
    ),
    rule('assistant-protocol-without-http', '^src-main/', {
      path: '^node_modules/(express|hono|@hono|cors|express-rate-limit|jose|eventsource)/',
    }),
    rule('electron-host-is-thin', '^src-main/electron/', {
      path: ['^src-main/(web/|start/|node/open-database)', '^node_modules/(vue|better-sqlite3|keytar)/'],
    }),
    rule(
      'only-a-command-loads-the-command-line',
      '^src-main/electron/(?!launch/run-command)',
      { path: '^src-main/cli/' },
      'the packaged program runs commands without a window; a window needs nothing of them',
    ),
    rule('only-electron-imports-electron', '^src-(main|renderer)/(?!electron/)', {
      path: '^node_modules/electron/',
    }),
    rule('nothing-that-runs-knows-packaging', '^src-(main|renderer)/(?!packaging/)', {
      path: ['^src-main/packaging/', '^node_modules/(electron-builder|@electron)/'],
    }),
    rule('main-knows-no-window', '^src-main/', { path: '^src-renderer/' }),
    rule('renderer-sees-common-only', '^src-renderer/', { path: '^src-main/(?!common/)' }),
    {
      name: 'renderer-has-no-node',
      severity: 'error',
      from: { path: '^src-renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    rule(
      'components-are-presentational',
      '^src-renderer/components/(?!dialogs/)',
      {
        path: [
          '^src-renderer/(backend|stores|screens|shell)/',
          '^src-renderer/(filters|period|names|address|alerts|sql)/',
          '^src-renderer/components/dialogs/',
        ],
      },
      'props in, events out',
    ),
    rule(
      'shared-parts-know-no-screen',
      '^src-renderer/(?!screens/|shell/|keys/)[^/]+/',
      { path: '^src-renderer/(screens|shell)/' },
      'what several screens share depends on none of them',
    ),
    rule(
      'shell-knows-no-screen',
      '^src-renderer/shell/',
      { path: '^src-renderer/screens/' },
      'only the router leads to screens',
    ),
    {
      name: 'no-screen-imports-another',
      severity: 'error',
      comment: 'what two screens share lives in composables, components or a folder of its subject',
      from: { path: '^src-renderer/screens/([^/]+)/' },
      to: { path: '^src-renderer/(screens|shell)/', pathNot: '^src-renderer/screens/$1/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'src-main/tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.vue', '.js', '.json'],
    },
  },
};
