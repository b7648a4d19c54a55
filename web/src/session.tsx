// The session of the browser: a read token is exchanged for a cookie that scripts cannot read.
import { useState } from "preact/hooks";
import { isLoginNeeded, jsonBody, request, toApiError, type ApiError } from "./api.ts";
import { Problem } from "./components.tsx";

const SESSION = "/api/v1/session";

/** Asks for a token, and shows the page when the server has accepted it. */
export function LoginForm() {
  const [error, setError] = useState<ApiError | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token") ?? "").trim();
    try {
      await request<null>(SESSION, jsonBody(JSON.stringify({ token })));
      isLoginNeeded.value = false;
    } catch (problem) {
      setError(toApiError(problem));
    }
  };
  return (
    <>
      <h1>Log in</h1>
      <p>The server requires a token of the scope <code>read</code>. <code>lineage token add NAME --scope read</code> creates one.</p>
      <form class="fields" aria-label="Log in" onSubmit={(event) => void submit(event)}>
        <label>Token<input name="token" type="password" required autocomplete="off" autofocus /></label>
        <button type="submit">Log in</button>
      </form>
      {error && <Problem error={error} />}
    </>
  );
}

/** Ends the session, and asks for a token again. */
export function LogOutButton() {
  const logOut = () => {
    void request<null>(SESSION, { method: "DELETE" }).finally(() => (isLoginNeeded.value = true));
  };
  return <button class="small" onClick={logOut}>Log out</button>;
}
