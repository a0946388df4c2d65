declare module 'cloudflare:workers' {
  export abstract class DurableObject<Environment> {
    protected readonly ctx: import('./platform.ts').ObjectState
    protected readonly env: Environment
    constructor(ctx: import('./platform.ts').ObjectState, env: Environment)
  }
}
