import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
  type WorkflowTemplate,
} from '@actions/workflow-parser';

/** Reads a workflow with GitHub's own parser and schema. */
async function readWorkflow(
  name: string,
  content: string,
): Promise<{ template: WorkflowTemplate | null; faults: string[] }> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const template = value === undefined ? null : await convertWorkflowTemplate(context, value);
  // What the conversion finds is added to the same list.
  return { template, faults: context.errors.getErrors().map(({ message }) => message) };
}

/** Returns what GitHub would refuse a workflow for. */
export async function findWorkflowFaults(name: string, content: string): Promise<string[]> {
  return (await readWorkflow(name, content)).faults;
}

/** Returns the commands of every step of every job, as the shell gets them. */
export async function readCommands(name: string, content: string): Promise<string[]> {
  const { template } = await readWorkflow(name, content);
  return (template?.jobs ?? []).flatMap((job) =>
    'steps' in job ? job.steps.flatMap((step) => ('run' in step ? [step.run.toDisplayString()] : [])) : [],
  );
}
