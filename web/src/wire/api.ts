// api.ts - plain HTTP and JSON. A failure is an Error with the sentence of the server.
import { key } from './key';

async function ask(path: string, options: RequestInit): Promise<any> {
  const headers: Record<string, string> = { ...(options.headers as Record<string, string>) };
  if (key.peek() !== '') {
    headers.Authorization = `Bearer ${key.peek()}`;
  }
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, headers, cache: 'no-store' });
  } catch {
    throw new Error('the server does not answer');
  }
  const text = await answer.text();
  let value: any = null;
  try {
    value = text === '' ? null : JSON.parse(text);
  } catch {
    throw new Error(`${path}: the answer is not JSON (${answer.status})`);
  }
  if (!answer.ok) {
    throw Object.assign(new Error(value?.error ?? `${path}: ${answer.status} ${answer.statusText}`), { code: value?.code });
  }
  return value;
}

export function get(path: string): Promise<any> {
  return ask(path, {});
}

export function post(path: string, body?: unknown): Promise<any> {
  return ask(path, {
    method: 'POST',
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}
