import type { z } from 'zod'
import type { Job, JobEvent } from '../../domain/job.ts'
import type { ModelMap } from '../../domain/model.ts'
import type { Answer, SearchRequest } from '../../domain/search.ts'
import type { DialectReference, Frame, Reply } from '../dialect.ts'
import type { Failure } from '../exchange/failure.ts'

/** Translates one vendor's requests that are answered in the background, as a `Dialect` does, and is as pure. */
export interface JobDialect<Input> {
  /** Jobs of other vendors are not found at its routes. */
  readonly vendor: string
  /** What stands before the id of a job: `resp_`. */
  readonly idPrefix?: string | undefined
  readonly schema: z.ZodType<Input>
  readonly reference: DialectReference
  /** Throws a `Refusal` for what a schema cannot check. */
  parse(input: Input, models: ModelMap): SearchRequest
  /** The name of the model that the caller asked for, where any name will do. */
  model?(input: Input, models: ModelMap): string | undefined
  ignored?(input: Input): readonly string[]
  /** As that of a `Dialect`: by default a job with a schema has failed where the model refused. */
  readonly tellsRefusals?: boolean | undefined
  /** The job as the vendor shows it. */
  format(view: JobView<Input>): unknown
  /** Its events, as the vendor streams them: first what is known, then what comes. Absent: it has no stream. */
  stream?(view: JobView<Input>, events: AsyncIterable<JobEvent>): AsyncIterable<Frame>
}

/** A job, and what its reply is written from. `reply.id` has no prefix. */
export interface JobView<Input> {
  readonly job: Job
  readonly reply: Reply<Input>
  /** The events so far. Empty in a list. */
  readonly events: readonly JobEvent[]
  /** The answer of a completed job. */
  readonly answer?: Answer | undefined
  /** The failure of a failed one. */
  readonly failure?: Failure | undefined
}
