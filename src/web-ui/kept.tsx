/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */

/** What csp keeps, folded away: receipts of written answers, and the pages that it has seen. */
export function Kept() {
  return (
    <section aria-labelledby="kept-title" id="kept">
      <h2 id="kept-title">Kept by csp</h2>
      <details id="receipts">
        <summary>
          Receipts <span class="quiet">What written answers rested on</span>
        </summary>
        <div class="inside">
          <div id="receipt-rows" />
          <p id="receipts-note" class="quiet" role="status" />
          <button type="button" id="more-receipts" class="plain" hidden>
            Show older ones
          </button>
        </div>
      </details>
      <details id="memory">
        <summary>
          Memory <span class="quiet">Pages that searches have found</span>
        </summary>
        <div class="inside">
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
      </details>
    </section>
  )
}
