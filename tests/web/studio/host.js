// host.js - Foxglove Studio in a page of our own, for tests/web/studio.mjs: memory instead of its database, one layout of three panels.
const query = new URL(location.href).searchParams;
const scan = query.get('scan');
const odometry = query.get('odometry');

const camera = { distance: 14, perspective: true, phi: 35, thetaOffset: 45, targetOffset: [0, 0, 0], target: [0, 0, 0], targetOrientation: [0, 0, 0, 1], fovy: 45, near: 0.1, far: 500 };
const panels = {
  '3D!scan': {
    cameraState: camera,
    followMode: 'follow-pose',
    followTf: query.get('frame'),
    scene: { labelScaleFactor: 0.4 },
    topics: { [scan]: { visible: true, colorField: 'range', colorMode: 'flat', flatColor: '#ff00ffff', pointSize: 6 } },
    layers: { grid: { visible: true, layerId: 'foxglove.Grid', instanceId: 'grid', size: 20, divisions: 20, lineWidth: 1, color: '#248eff88', position: [0, 0, 0], rotation: [0, 0, 0], order: 1 } },
  },
  'RawMessages!scan': { topicPath: scan, diffEnabled: false, diffMethod: 'custom', diffTopicPath: '', showFullMessageForDiff: false },
  'Plot!speed': { paths: [{ value: `${odometry}.twist.twist.linear.x`, enabled: true, timestampMethod: 'receiveTime' }], showXAxisLabels: true, showYAxisLabels: true, showLegend: true, legendDisplay: 'floating', isSynced: true, xAxisVal: 'timestamp', followingViewWidth: 20 },
};
const data = {
  layout: { direction: 'row', first: '3D!scan', second: { direction: 'column', first: 'RawMessages!scan', second: 'Plot!speed', splitPercentage: 55 }, splitPercentage: 60 },
  configById: panels,
  globalVariables: {},
  userNodes: {},
  playbackConfig: { speed: 1 },
};
const layouts = new Map([['scan', { id: 'scan', name: 'A scan', permission: 'CREATOR_WRITE', baseline: { data, savedAt: '2026-01-01T00:00:00Z' }, working: undefined, syncInfo: undefined }]]);
const layoutStorage = {
  list: async () => [...layouts.values()],
  get: async (_, id) => layouts.get(id),
  put: async (_, layout) => (layouts.set(layout.id, layout), layout),
  delete: async (_, id) => void layouts.delete(id),
  importLayouts: async () => {},
};
const settings = new Map(Object.entries({ colorScheme: 'light', 'telemetry.telemetryEnabled': false, 'telemetry.crashReportingEnabled': false, 'ui.open-dialog-startup': false, hideSignInPrompt: true }));
const appConfiguration = {
  get: (key) => settings.get(key),
  set: async (key, value) => void settings.set(key, value),
  addChangeListener: () => {},
  removeChangeListener: () => {},
};

initI18n().then(() =>
  ReactDOM.render(
    React.createElement(App, {
      deepLinks: [location.href],
      appConfiguration,
      dataSources: [new FoxgloveWebSocketDataSourceFactory()],
      layoutStorage,
      extensionLoaders: [],
      enableGlobalCss: true,
    }),
    document.getElementById('root'),
  ),
);
