// The same form with v-model; rules are applied by watchers, after the fact.
import { createApp, nextTick } from "vue/dist/vue.esm-bundler.js";
import { COUNTRIES, FRESH, SIZES, code, country, phone } from "./rules.js";

const template = `
<form @submit.prevent="sent = { ...state }">
  <p><label>Name <input v-model.trim="state.name"></label></p>
  <p><label>Phone <input v-model="state.phone"></label></p>
  <p><label>Code <input v-model="state.code"></label></p>
  <p><label>Age <input type="number" v-model.number="state.age"></label></p>
  <p><label>Bio <textarea v-model.lazy="state.bio"></textarea></label></p>
  <p><label>When <input type="date" v-model="state.when"></label></p>
  <p><label>Volume <input type="range" v-model.number="state.volume"></label></p>
  <p><label><input type="checkbox" v-model="state.agree"> Agree</label></p>
  <p><label><input type="checkbox" v-model="state.locked"> Locked</label></p>
  <label v-for="size in sizes"><input type="radio" :value="size" v-model="state.size"> {{ size }}</label>
  <p><label>Country <select v-model="state.country"><option v-for="one in countries">{{ one }}</option></select></label></p>
  <button>Send</button>
  <pre id="state">{{ JSON.stringify(state) }}</pre>
  <pre id="sent">{{ JSON.stringify(sent) }}</pre>
</form>`;

createApp({
  template,
  data: () => ({ state: { ...FRESH }, sent: null, sizes: SIZES, countries: COUNTRIES }),
  watch: {
    "state.phone"(now) {
      this.state.phone = phone(now);
    },
    "state.code"(now, before) {
      this.state.code = code(now, before);
    },
    // Vue leaves the box as it is when a value goes back before it was ever rendered.
    async "state.locked"() {
      await nextTick();
      this.state.locked = false;
    },
    "state.country"(now, before) {
      this.state.country = country(now, before);
    },
  },
}).mount("#app");
