/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { curlCommand, type DescribedOperation, fieldsOf, groupsOf, repliesOf } from './described.ts'

type Json = Readonly<Record<string, unknown>>

/** The routes of an OpenAPI document by vendor, each with its fields, a command to copy and its replies. */
export function Reference({ document, icon }: { document: Json; icon: string }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>The API of claude-search-proxy</title>
        <link rel="icon" href={icon} />
        <link rel="stylesheet" href="page/style.css" />
        <script type="module" src="page/reference.js" />
      </head>
      <body>
        <a class="skip" href="#filter">
          Skip to the filter
        </a>
        <header>
          <h1>The API of claude-search-proxy</h1>
          <p />
          <a href="./">Search</a>
          <a href="openapi.json">OpenAPI</a>
          <a href="llms.txt">llms.txt</a>
        </header>
        <main id="reference" data-url="http://127.0.0.1:52480">
          <label class="hidden" for="filter">
            Show routes with
          </label>
          <input id="filter" type="search" placeholder="Show routes with …" autocomplete="off" />
          {groupsOf(document).map(({ title, description, operations }) => (
            <section>
              <h2>{title}</h2>
              <p class="quiet">{description}</p>
              {operations.map((operation) => (
                <Route operation={operation} document={document} />
              ))}
            </section>
          ))}
        </main>
      </body>
    </html>
  )
}

function Route({ operation, document }: { operation: DescribedOperation; document: Json }) {
  const { method, paths, summary } = operation
  const fields = fieldsOf(operation, document)
  return (
    <details>
      <summary>
        <span class="method">{method}</span> <code>{paths.join(', ')}</code>
        <span class="what">{summary}</span>
      </summary>
      <div class="snippet">
        <pre tabindex={0}>{curlCommand(operation, document, 'http://127.0.0.1:52480')}</pre>
        <button type="button" class="plain" aria-label={`Copy the command for ${method} ${paths[0]}`}>
          Copy
        </button>
      </div>
      {fields.length > 0 && (
        <>
          <h3>Fields</h3>
          <section class="scroll" tabindex={0} aria-label={`Fields of ${method} ${paths[0]}`}>
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">In</th>
                  <th scope="col">Type</th>
                </tr>
              </thead>
              <tbody>
                {fields.map(({ name, place, type, isRequired }) => (
                  <tr>
                    <td>
                      <code>{name}</code>
                      {isRequired && ' *'}
                    </td>
                    <td>{place}</td>
                    <td>{type}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
      {repliesOf(operation, document).map(({ status, description, example }) => (
        <>
          <h3>{status}</h3>
          <p class="quiet">{description}</p>
          {example !== undefined && (
            <div class="snippet">
              <pre tabindex={0}>{example}</pre>
            </div>
          )}
        </>
      ))}
    </details>
  )
}
