/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */

/** What csp keeps: its jobs, and the pages that searches have found. */
export function Data() {
  return (
    <section aria-labelledby="memory-title" data-view="data">
      <div id="jobs" hidden>
        <h2>In the background</h2>
        <dl id="job-rows" class="rows panel" />
      </div>
      <h2 id="memory-title">Memory</h2>
      <div id="memory" class="panel">
        <p id="memory-size" role="status" />
        <form id="recall" hidden>
          <label class="hidden" for="recall-query">
            Words on the pages
          </label>
          <div class="line">
            <input
              id="recall-query"
              type="search"
              placeholder="Words on the pages"
              autocomplete="off"
              maxlength={1000}
              required
            />
            <button type="submit" class="plain">
              Recall
            </button>
          </div>
        </form>
        <p id="memory-note" class="quiet" role="status" />
        <ol id="recalled" class="sources" />
        <button type="button" id="forget-all" class="link bad" hidden>
          Forget every page
        </button>
      </div>
    </section>
  )
}
