import type { ResponseOptions, TextStreamOptions } from 'provstream'

/**
 * Middleware for `wrapLanguageModel` of the Vercel AI SDK, versions 5 to 7: the text of each answer is stripped, or gated by a policy.
 * Raw events and bodies of the provider are left out, since they have the text as the model wrote it.
 */
export function cleanMiddleware(options?: ResponseOptions & TextStreamOptions): {
  // The three versions have types of their own with the same parts.
  specificationVersion: any
  wrapGenerate: (options: any) => Promise<any>
  wrapStream: (options: any) => Promise<any>
}
