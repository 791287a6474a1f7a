import { readFile, readdir } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { DatasetManifest } from '../../../src-main/core/datasets/update-dataset.ts';

interface Day {
  readonly date: string;
  readonly count: number;
  /** From the first record to the last, both counted, one each second. */
  readonly seconds: number;
}

/** Reads every day of a dataset as programs of other people do. */
export async function readDataset(folder: string): Promise<Day[]> {
  if (!(await hasFile(folder))) return [];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(
      `SELECT date::VARCHAR AS date, count(*)::INTEGER AS count,
         (epoch(max(date_utc)) - epoch(min(date_utc)))::INTEGER + 1 AS seconds
       FROM read_parquet('${folder}/*/report=*/date=*/part-*.parquet', hive_partitioning = true)
       GROUP BY ALL ORDER BY ALL`,
    );
    return reader.getRowObjectsJson() as unknown as Day[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The names of files whose content is not what the manifests of a dataset say. */
export async function listUnlike(folder: string): Promise<string[]> {
  const unlike: string[] = [];
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name, '_channelscope.json'), 'utf8');
    for (const { file, sha256 } of (JSON.parse(text) as DatasetManifest).days) {
      if (file === null) continue;
      const content = await readFile(join(folder, name, file));
      if (hash('sha256', content) !== sha256) unlike.push(file);
    }
  }
  return unlike;
}

async function hasFile(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.some((name) => name.endsWith('.parquet'));
}
