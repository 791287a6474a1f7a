/** What `npm start` runs, for an application in another folder. Arguments: the folder, then the options. */
import { readStartOptions, runGuarded } from '../../../src-main/start/read-options.ts';
import { startApplication } from '../../../src-main/start/start-application.ts';

runGuarded(() => startApplication(process.argv[2] ?? '', readStartOptions(process.argv.slice(3))));
