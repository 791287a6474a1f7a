import type { Language } from '../model/settings/language.ts';
import deCasefile from './de/casefile.json' with { type: 'json' };
import deDesktop from './de/desktop.json' with { type: 'json' };
import deFindings from './de/findings.json' with { type: 'json' };
import deImporting from './de/importing.json' with { type: 'json' };
import deLevels from './de/levels.json' with { type: 'json' };
import deNotes from './de/notes.json' with { type: 'json' };
import dePage from './de/page.json' with { type: 'json' };
import deReport from './de/report.json' with { type: 'json' };
import enCasefile from './en/casefile.json' with { type: 'json' };
import enDesktop from './en/desktop.json' with { type: 'json' };
import enFindings from './en/findings.json' with { type: 'json' };
import enImporting from './en/importing.json' with { type: 'json' };
import enLevels from './en/levels.json' with { type: 'json' };
import enNotes from './en/notes.json' with { type: 'json' };
import enPage from './en/page.json' with { type: 'json' };
import enReport from './en/report.json' with { type: 'json' };
import esCasefile from './es/casefile.json' with { type: 'json' };
import esDesktop from './es/desktop.json' with { type: 'json' };
import esFindings from './es/findings.json' with { type: 'json' };
import esImporting from './es/importing.json' with { type: 'json' };
import esLevels from './es/levels.json' with { type: 'json' };
import esNotes from './es/notes.json' with { type: 'json' };
import esPage from './es/page.json' with { type: 'json' };
import esReport from './es/report.json' with { type: 'json' };
import ptCasefile from './pt/casefile.json' with { type: 'json' };
import ptDesktop from './pt/desktop.json' with { type: 'json' };
import ptFindings from './pt/findings.json' with { type: 'json' };
import ptImporting from './pt/importing.json' with { type: 'json' };
import ptLevels from './pt/levels.json' with { type: 'json' };
import ptNotes from './pt/notes.json' with { type: 'json' };
import ptPage from './pt/page.json' with { type: 'json' };
import ptReport from './pt/report.json' with { type: 'json' };

const ENGLISH = {
  casefile: enCasefile,
  desktop: enDesktop,
  findings: enFindings,
  importing: enImporting,
  levels: enLevels,
  notes: enNotes,
  page: enPage,
  report: enReport,
};

/** What is said outside of the window: by the desktop, in notifications, in reports and by pages that need no session. */
type SpokenMessages = typeof ENGLISH;

type KeysOf<Tree> = {
  [Name in keyof Tree & string]: Tree[Name] extends string ? Name : `${Name}.${KeysOf<Tree[Name]>}`;
}[keyof Tree & string];

/** A message by its file and its place in it: `report.facts.tenant`. */
export type SpokenKey = KeysOf<SpokenMessages>;

/** What is said of findings. */
export type FindingKey = Extract<SpokenKey, `findings.${string}`>;

export const SPOKEN_MESSAGES: Readonly<Record<Language, SpokenMessages>> = {
  en: ENGLISH,
  es: {
    casefile: esCasefile,
    desktop: esDesktop,
    findings: esFindings,
    importing: esImporting,
    levels: esLevels,
    notes: esNotes,
    page: esPage,
    report: esReport,
  },
  pt: {
    casefile: ptCasefile,
    desktop: ptDesktop,
    findings: ptFindings,
    importing: ptImporting,
    levels: ptLevels,
    notes: ptNotes,
    page: ptPage,
    report: ptReport,
  },
  de: {
    casefile: deCasefile,
    desktop: deDesktop,
    findings: deFindings,
    importing: deImporting,
    levels: deLevels,
    notes: deNotes,
    page: dePage,
    report: deReport,
  },
};
