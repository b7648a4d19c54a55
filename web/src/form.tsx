// A form whose fields become the address of a page.
import { goTo, hrefOf, type Parameters } from "./address.ts";

export interface FieldOf {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly required?: boolean;
  readonly hint?: string;
}

/** Asks for the parameters of a page; its button shows the page with them, and with those that are `kept`. */
export function AddressForm(props: {
  path: string; fields: readonly FieldOf[]; button: string; label: string; kept?: Parameters;
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const values = Object.fromEntries(props.fields.map(({ name }) => [name, String(data.get(name) ?? "").trim()]));
    goTo(hrefOf(props.path, { ...props.kept, ...values }));
  };
  return (
    <form class="fields" aria-label={props.label} onSubmit={submit}>
      {props.fields.map((field) => (
        <label>
          {field.label}{field.hint && <small> {field.hint}</small>}
          <input name={field.name} defaultValue={field.value} required={field.required ?? true} spellcheck={false} autocomplete="off" />
        </label>
      ))}
      <button type="submit">{props.button}</button>
    </form>
  );
}

/** Returns whether the reader types into a field, where keys have no other meaning. */
export function isInField(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
}
