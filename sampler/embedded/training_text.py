"""The text that the embedded model learns from: about 1,700 short documents, most of them JSON, put together from the
words and sentences below, all written for this purpose. The same on every machine: the choices come from a small
generator of its own, not from Python's `random`."""

import json


class Choices:
    """A 64-bit linear congruential generator; only its high bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def of(self, items):
        return items[self.below(len(items))]

    def some(self, items, most, least=0):
        """A few different items, in their listed order or not."""
        left, chosen = list(items), []
        for _ in range(least + self.below(most - least + 1)):
            chosen.append(left.pop(self.below(len(left))))
        return chosen

    def chance(self, percent):
        return self.below(100) < percent

    def number(self, low, high):
        return low + self.below(high - low + 1)


def words(text):
    return text.split()


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


FIRST = words("""Ada Amir Anna Aisha Ben Bruno Carla Chen Clara Daniel Dina Elena Emil Emma Farid Felix Fiona Grace Hana
Hugo Ida Ines Ivan Jack Jana Jonas Julia Kai Karim Lara Leo Lena Liam Lina Lucas Maria Marco Maya Mia Milo Nadia Nina
Noah Nora Olga Omar Oscar Paula Peter Petra Rosa Ruth Samir Sara Simon Sofia Tara Theo Tom Vera Victor Yara Yuki Zoe""")
LAST = words("""Abbott Adler Bauer Becker Bell Berg Carter Castro Cole Costa Dahl Diaz Dubois Evans Farouk Fischer Ford
Fox Garcia Grant Haas Hansen Hill Ito Jensen Keller Khan Klein Kumar Lang Larsen Lopez Martin Meyer Mills Moreno Nakano
Novak Olsen Okoro Park Patel Perez Porter Quinn Reed Rivera Romero Rossi Sato Silva Singh Stone Tanaka Turner Vogel
Walker Weber West Wolf Wright Young""")
CITIES = words("""Berlin Boston Cairo Delhi Denver Dublin Geneva Hamburg Helsinki Kyoto Lagos Lima Lisbon London Lyon
Madrid Milan Montreal Munich Nairobi Oslo Paris Porto Prague Quito Riga Rome Seattle Seoul Sydney Tokyo Turin Vienna
Warsaw Zurich""")
COUNTRIES = words("""Austria Brazil Canada Chile Denmark Egypt Finland France Germany India Ireland Italy Japan Kenya
Mexico Norway Peru Poland Portugal Spain Sweden Switzerland""")
STREETS = lines("""
    Station Road
    Mill Lane
    High Street
    Park Avenue
    River Walk
    Garden Street
    Church Lane
    Harbour Road
    King Street
    Market Square
""")
COLOURS = words("red blue green yellow black white grey orange purple brown silver")
SIZES = words("small medium large")
TAGS = words("""new sale urgent draft final home work garden travel music sport food science history art health school
family green fast light quiet local weekly public private""")
JOBS = words("engineer teacher nurse designer writer baker farmer pilot doctor chemist manager student driver artist")
COMPANIES = lines("""
    Northwind Traders
    Blue River Foods
    Cedar and Sons
    Bright Lamp Works
    Harbour Freight Lines
    Old Mill Bakery
    Green Valley Farms
    Silver Oak Press
    Stone Bridge Tools
    Sunrise Energy
""")
PRODUCTS = lines("""
    desk lamp
    garden chair
    coffee grinder
    water bottle
    wool blanket
    wooden table
    paper notebook
    rain jacket
    steel kettle
    bread knife
    wall clock
    picture frame
    tea cup
    travel bag
    bicycle pump
    winter hat
    candle holder
    kitchen scale
    reading light
    storage box
""")
TITLES = lines("""
    The quiet harbour
    A walk in the hills
    Letters from the north
    The last train home
    Bread and salt
    A garden in winter
    The long river
    Songs of the sea
    Under the old bridge
    The clock maker
    Notes on light
    A short history of rain
""")
SENTENCES = lines("""
    The train leaves at nine and arrives before noon.
    Please send the report by the end of the week.
    The garden is full of light in the morning.
    We met at the station and walked to the river.
    The order was packed and sent on Monday.
    A small house stands at the edge of the wood.
    The meeting is in the large room on the second floor.
    It rained all night and the road is closed.
    She wrote a short letter to her brother.
    The new lamp is bright and quiet.
    He bought bread, butter and a bag of apples.
    The price is too high for a used chair.
    Our office is open from Monday to Friday.
    The water is cold but clear.
    Most of the guests came by bicycle.
    The test failed because a file was missing.
    The server is slow after the last update.
    A friendly note makes a good day better.
    Children play in the park until the sun goes down.
    The old clock on the wall is five minutes late.
    Turn left at the church and follow the lane.
    The bakery sells warm rolls every morning.
    Nobody answered the phone this afternoon.
    The museum is free on the first Sunday of the month.
    I would like to change my address.
    The parcel arrived with a broken handle.
    Thank you for your help with the invoice.
    The north side of the building gets no sun.
    Two of the five lights in the hall are out.
    The recipe needs more salt and less sugar.
    They plan to open a second shop in spring.
    The boat turns slowly in the wind.
    My sister teaches history at the local school.
    The coffee is hot and the cake is fresh.
    Every window has a view of the hills.
    The story begins on a cold night in March.
    A red bicycle leans against the gate.
    The team finished the work two days early.
    Keep the box in a dry place.
    The path is steep and narrow near the top.
""")
SHORT = lines("""
    ready to ship
    needs a new battery
    works as expected
    call back on Friday
    paid in full
    waiting for parts
    second floor, left door
    leave at the front desk
    no sugar, please
    too small for the room
    handle with care
    very good condition
    first draft
    not yet confirmed
    back in stock
    open until late
    closed on Sunday
    light rain in the evening
    clear sky
    a little noisy
""")
QUERIES = lines("""
    weather in Paris
    trains to Munich
    open bakeries near me
    cheap flights to Lisbon
    best soup recipe
    news of the day
    books about rivers
    how to fix a bicycle
    museum hours
    tall trees of the north
""")
INGREDIENTS = words("flour sugar butter salt eggs milk rice onions carrots lemon garlic oil apples honey pepper cheese")
DISHES = ["lemon cake", "apple pie", "rice soup", "onion bread", "carrot salad"]
UNITS = words("g kg ml l cup spoon piece")
STATUSES = words("open closed pending active done failed paid shipped draft")
PRIORITIES = words("low normal high")
CURRENCIES = words("EUR USD GBP JPY CHF")
LANGUAGES = words("en de fr es it ja pt")
GENRES = words("jazz folk rock classical pop blues")
ACCENTED = words("José Zoë Müller Renée Søren Łukasz Inés François Chloé Åsa")
DOMAINS = words("example.com example.org mail.example.com example.net")
FUNCTIONS = words("""get_weather search send_email create_event book_table convert translate set_timer list_files
find_route""")


class Writer:
    """Documents of many kinds; each method returns a JSON value or a text."""

    def __init__(self, seed):
        self.pick = Choices(seed)

    def name(self):
        return self.pick.of(FIRST) + " " + self.pick.of(LAST if not self.pick.chance(4) else ACCENTED)

    def names(self, most):
        return [self.name() for _ in range(self.pick.number(1, most))]

    def email(self):
        return f"{self.pick.of(FIRST)}.{self.pick.of(LAST)}@{self.pick.of(DOMAINS)}".lower()

    def date(self):
        return f"{self.pick.number(1985, 2026)}-{self.pick.number(1, 12):02}-{self.pick.number(1, 28):02}"

    def time(self):
        return f"{self.pick.number(0, 23):02}:{self.pick.of(['00', '15', '30', '45'])}:00Z"

    def price(self):
        return self.pick.of([self.pick.number(1, 99), self.pick.number(1, 99) + 0.5, self.pick.number(5, 300) + 0.99,
                             self.pick.number(100, 2500) / 10])

    def uuid(self):
        digits = "".join(self.pick.of("0123456789abcdef") for _ in range(32))
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def url(self):
        return f"https://{self.pick.of(DOMAINS)}/{self.pick.of(TAGS)}/{self.pick.number(1, 99)}"

    def code(self):
        return f"{self.pick.of(['INV', 'ORD', 'SKU', 'REF'])}-{self.pick.number(100, 9999)}"

    def text(self):
        return self.pick.of(SENTENCES) if self.pick.chance(40) else self.pick.of(SHORT)

    def tags(self):
        return self.pick.some(TAGS, 3)

    def address(self):
        value = {"street": f"{self.pick.number(1, 120)} {self.pick.of(STREETS)}", "city": self.pick.of(CITIES)}
        if self.pick.chance(60):
            value[self.pick.of(["zip", "postal_code", "postcode"])] = str(self.pick.number(10000, 99999))
        if self.pick.chance(60):
            value["country"] = self.pick.of(COUNTRIES)
        return value

    def person(self):
        value = {"name": self.name()}
        if self.pick.chance(20):
            value = {"first_name": self.pick.of(FIRST), "last_name": self.pick.of(LAST)}
        if self.pick.chance(10):
            value = {"firstName": self.pick.of(FIRST), "lastName": self.pick.of(LAST)}
        value["age"] = self.pick.number(18, 79)
        for key, make in [("email", self.email), ("address", self.address), ("birth_date", self.date),
                          ("born", self.date), ("joined", self.date),
                          ("job", lambda: self.pick.of(JOBS)), ("city", lambda: self.pick.of(CITIES)),
                          ("phone", lambda: f"+{self.pick.number(1, 49)} {self.pick.number(100, 999)} "
                                            f"{self.pick.number(1000, 9999)}"),
                          ("active", lambda: self.pick.chance(60)), ("tags", self.tags),
                          ("hobbies", lambda: self.pick.some(TAGS, 3, 1)),
                          ("role", lambda: self.pick.of(["admin", "editor", "viewer", "user"])),
                          ("friends", lambda: [self.name() for _ in range(self.pick.below(3))])]:
            if self.pick.chance(30):
                value[key] = make()
        return value

    def line_item(self):
        value = {self.pick.of(["description", "item", "product"]): self.pick.of(PRODUCTS),
                 "quantity": self.pick.number(1, 12)}
        value[self.pick.of(["unit_price", "price", "unitPrice"])] = self.price()
        return value

    def invoice(self):
        value = {self.pick.of(["invoice_number", "number", "id", "invoiceNumber"]): self.code(), "date": self.date()}
        value[self.pick.of(["customer", "client", "billed_to"])] = \
            self.pick.of([self.name(), {"name": self.name(), "email": self.email()}, self.pick.of(COMPANIES)])
        value["items"] = [self.line_item() for _ in range(self.pick.number(1, 3))]
        if self.pick.chance(50):
            value["currency"] = self.pick.of(CURRENCIES)
        value["total"] = self.price()
        if self.pick.chance(50):
            value["paid"] = self.pick.chance(50)
        if self.pick.chance(30):
            value["due_date"] = self.date()
        if self.pick.chance(30):
            value["notes"] = self.text()
        return value

    def tool_call(self):
        function = self.pick.of(FUNCTIONS)
        arguments = {}
        for key, make in [("city", lambda: self.pick.of(CITIES)), ("query", lambda: self.pick.of(QUERIES)),
                          ("location", lambda: self.pick.of(CITIES)), ("date", self.date),
                          ("limit", lambda: self.pick.of([3, 5, 10, 20, 50])), ("to", self.email),
                          ("subject", lambda: self.pick.of(SHORT)), ("body", lambda: self.pick.of(SENTENCES)),
                          ("unit", lambda: self.pick.of(["celsius", "fahrenheit", "metric"])),
                          ("language", lambda: self.pick.of(LANGUAGES)), ("amount", self.price)]:
            if self.pick.chance(25):
                arguments[key] = make()
        return {self.pick.of(["name", "tool", "tool", "function", "function"]): function,
                self.pick.of(["arguments", "parameters", "args"]): arguments}

    def tree(self, depth=0):
        value = {self.pick.of(["value", "value", "label"]): self.pick.of([self.pick.number(0, 99), self.pick.of(TAGS)])}
        count = self.pick.below(3) if depth < 3 else 0
        value["children"] = [self.tree(depth + 1) for _ in range(count)]
        return value

    def product(self):
        value = {"id": self.pick.of([self.pick.number(1, 999), self.code()]), "name": self.pick.of(PRODUCTS),
                 "price": self.price()}
        for key, make in [("color", lambda: self.pick.of(COLOURS)), ("size", lambda: self.pick.of(SIZES)),
                          ("in_stock", lambda: self.pick.chance(70)), ("rating", lambda: self.pick.number(10, 50) / 10),
                          ("tags", self.tags), ("weight", lambda: self.pick.number(1, 90) / 10),
                          ("category", lambda: self.pick.of(["kitchen", "garden", "office", "outdoor"])),
                          ("description", self.text), ("url", self.url)]:
            if self.pick.chance(35):
                value[key] = make()
        return value

    def event(self):
        value = {"title": self.pick.of(["Team meeting", "Lunch", "Book club", "Garden day", "Review", "Concert"]),
                 "date": self.date()}
        for key, make in [("start", lambda: self.date() + "T" + self.time()), ("time", lambda: self.time()[:5]),
                          ("location", lambda: self.pick.of(CITIES)), ("attendees", lambda: self.names(3)),
                          ("end_date", self.date), ("created_at", lambda: self.date() + "T" + self.time()),
                          ("duration", lambda: self.pick.of([15, 30, 45, 60, 90])), ("id", self.uuid),
                          ("description", self.text), ("public", lambda: self.pick.chance(50))]:
            if self.pick.chance(40):
                value[key] = make()
        return value

    def weather(self):
        return {"city": self.pick.of(CITIES), "date": self.date(), "temperature": self.pick.number(-9, 35),
                "humidity": self.pick.number(20, 95), "wind": {"speed": self.pick.number(0, 30),
                                                             "direction": self.pick.of(words("N NE E SE S SW W NW"))},
                "condition": self.pick.of(words("sunny cloudy rain snow fog wind"))}

    def book(self):
        value = {"title": self.pick.of(TITLES), "author": self.name(), "year": self.pick.number(1950, 2025)}
        if self.pick.chance(50):
            value["genres"] = self.pick.some(words("novel poetry travel history crime science"), 2, 1)
        if self.pick.chance(50):
            value["pages"] = self.pick.number(90, 600)
        if self.pick.chance(30):
            value["isbn"] = f"978{self.pick.number(1000000, 9999999)}{self.pick.number(100, 999)}"
        return value

    def recipe(self):
        return {self.pick.of(["title", "recipe"]): self.pick.of(DISHES),
                "servings": self.pick.number(1, 8),
                "ingredients": [{"ingredient": self.pick.of(INGREDIENTS),
                                 "amount": self.pick.of([1, 2, 3, 50, 100, 250, 0.5]),
                                 "unit": self.pick.of(UNITS)} for _ in range(self.pick.number(1, 4))],
                "steps": self.pick.some(["Mix the flour and the butter.", "Bake for 30 minutes.", "Cut the onions.",
                                         "Add salt and pepper.", "Stir well.", "Serve warm."], 3, 1)}

    def task(self):
        value = {"id": self.pick.number(1, 500), "title": self.pick.of(SHORT), "done": self.pick.chance(50)}
        for key, make in [("priority", lambda: self.pick.of(PRIORITIES)), ("due", self.date), ("assignee", self.name),
                          ("status", lambda: self.pick.of(STATUSES)), ("labels", self.tags), ("notes", self.text),
                          ("parent", lambda: None)]:
            if self.pick.chance(35):
                value[key] = make()
        return value

    def config(self):
        return {"host": self.pick.of(["localhost", "10.0.0.1", "192.168.1.20"] + DOMAINS),
                "port": self.pick.of([80, 443, 3000, 5432, 8080]), "debug": self.pick.chance(40),
                "timeout": self.pick.of([5, 10, 30, 60]), "log_level": self.pick.of(["info", "debug", "error"]),
                "retries": self.pick.number(0, 5),
                "version": f"{self.pick.below(4)}.{self.pick.below(10)}.{self.pick.below(10)}"}

    def point(self):
        kind = self.pick.below(3)
        if kind == 0:
            return {"x": self.pick.number(-50, 50), "y": self.pick.number(-50, 50)}
        if kind == 1:
            return {"latitude": self.pick.number(-8999, 8999) / 100, "longitude": self.pick.number(-17999, 17999) / 100}
        return {"type": "Point", "coordinates": [self.pick.number(-180, 180) / 10, self.pick.number(-90, 90) / 10]}

    def review(self):
        return {"rating": self.pick.number(1, 5), "comment": self.text(), "author": self.name(),
                "verified": self.pick.chance(60), "sentiment": self.pick.of(["positive", "negative", "neutral"]),
                "score": self.pick.number(0, 100) / 100}

    def numbers(self):
        return [self.pick.number(0, self.pick.of([9, 9, 99, 999])) for _ in range(self.pick.number(1, 6))]

    def message(self):
        return {"from": self.email(), "to": self.email(), "subject": self.pick.of(SHORT), "body": self.text(),
                "sent_at": self.date() + "T" + self.time(), "read": self.pick.chance(50)}

    def song(self):
        return {"title": self.pick.of(TITLES), "artist": self.name(), "genre": self.pick.of(GENRES),
                "length": f"{self.pick.number(2, 6)}:{self.pick.number(10, 59)}", "plays": self.pick.number(0, 5000)}

    def scalar(self):
        return self.pick.of([True, False, None, self.pick.number(0, 100), self.price(), self.pick.of(CITIES),
                             self.date(), self.uuid(), self.email(), self.text()])

    def documents(self):
        kinds = [(self.person, "person", 18), (self.invoice, "invoice", 11), (self.tool_call, "tool call", 11),
                 (self.tree, "tree", 6), (self.product, "product", 12), (self.event, "event", 8),
                 (self.weather, "weather report", 5), (self.book, "book", 7), (self.recipe, "recipe", 5),
                 (self.task, "task", 8), (self.config, "configuration", 4), (self.point, "point", 5),
                 (self.review, "review", 5), (self.numbers, "list of numbers", 5), (self.message, "message", 5),
                 (self.song, "song", 5), (self.scalar, "value", 6)]
        weighted = [(make, what) for make, what, weight in kinds for _ in range(weight)]
        for _ in range(1600):
            make, what = self.pick.of(weighted)
            value = make()
            separators = (",", ":") if self.pick.chance(4) else (", ", ": ")
            text = json.dumps(value, ensure_ascii=False, separators=separators)
            opening = self.pick.below(100)
            if opening < 8:
                text = f"Write a {what} as JSON.\n{text}"
            elif opening < 14:
                text = f"A {what} in JSON: {text}"
            elif opening < 16:
                text = f"{self.pick.of(SENTENCES)}\n{text}"
            yield text
        for sentence in SENTENCES:
            yield sentence
        for _ in range(20):
            yield f"{self.pick.of(SENTENCES)} {self.pick.of(SENTENCES)}"
            yield f"{self.date()} {self.pick.of(SENTENCES)}"


def documents():
    return list(Writer(20240229).documents())


if __name__ == "__main__":
    print("\n\n".join(documents()))
